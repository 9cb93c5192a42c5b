// ARX on a file with a hierarchy for each of its columns, k = 5: prints the least CPU seconds of
// five searches in one process.
// java -cp libarx.jar ArxPeer.java FILE HIERARCHIES LIMIT, with HIERARCHIES as column=file,column=file
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

public class ArxPeer {
    public static void main(String[] asked) throws Exception {
        long least = Long.MAX_VALUE;
        for (int run = 0; run < 5; run++) {
            Data data = Data.create(asked[0], StandardCharsets.UTF_8, ';');
            for (String one : asked[1].split(",")) {
                String[] parts = one.split("=", 2);
                Hierarchy labels = Hierarchy.create(parts[1], StandardCharsets.UTF_8, ';');
                data.getDefinition().setAttributeType(parts[0], labels);
            }
            ARXConfiguration wanted = ARXConfiguration.create();
            wanted.addPrivacyModel(new KAnonymity(5));
            wanted.setSuppressionLimit(Double.parseDouble(asked[2]));
            wanted.setQualityModel(Metric.createLossMetric(Metric.AggregateFunction.ARITHMETIC_MEAN));
            long begun = cpu();
            new ARXAnonymizer().anonymize(data, wanted);
            least = Math.min(least, cpu() - begun);
        }
        System.out.println("{\"cpu\": " + least / 1e9 + "}");
    }

    private static long cpu() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime();
    }
}

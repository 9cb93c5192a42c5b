"""What flows: microdata, masked microdata, and how both are linked, read and described."""

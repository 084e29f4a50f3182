"""Trees of tables in parts: rows are routed where they are read, and what comes back adds up."""

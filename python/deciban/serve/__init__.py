"""A filter behind mail servers: the headers that mail software reads, the spamd protocol, worker processes."""

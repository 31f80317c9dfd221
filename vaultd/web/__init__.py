"""HTTP on this machine: what agents reach over the network stack, and nobody else."""

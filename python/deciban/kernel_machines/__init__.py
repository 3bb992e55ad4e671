"""Support vector machines with kernels, their explanations and files; the solvers are in `kernel_solvers`."""

"""The cells: what is measured. One module per group; `run.py` measures each cell in a process of its own."""

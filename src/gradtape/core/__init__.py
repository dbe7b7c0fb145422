"""The machine: tensors, primitives, recorders, the tape. It knows no particular op."""

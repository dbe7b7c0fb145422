"""What users do to functions: gradients, Jacobians, custom derivatives, forward mode."""

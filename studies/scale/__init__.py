"""How far candidly goes beyond one machine."""

"""Labels: the one container of them, how they are written, counted, checked and stored."""

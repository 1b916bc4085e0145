"""How values are shown: tables, figures, pages."""

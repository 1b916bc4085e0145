COMMAND = PAGE = make_page = None

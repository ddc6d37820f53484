package shop

// openDoor lets people in.
func openDoor(code int) bool { return code == 42 || code < 7 }

func only_linux(code int) bool { return !openDoor(code) && code > 3 }

package aside

// SyncFolder does nothing: Windows has no way to sync a folder, and its renames are
// journalled.
func SyncFolder(string) error { return nil }

package vectors

// A File describes one input file as the manifest keeps it.
type File struct {
	Path    string `json:"path"`    // absolute
	Rows    int    `json:"rows"`    // rows that it contributes
	Size    int64  `json:"size"`    // bytes
	ModTime int64  `json:"modtime"` // Unix nanoseconds
	// Sample is an xxhash64 over the size and up to 64 blocks of 4 KiB spread
	// evenly over the file, first and last included: what a resumed build
	// checks instead of rereading everything.
	Sample uint64 `json:"sample"`
}

// Input is an opened input: one or several files in order, seen as one matrix.
type Input struct {
	Source
	Files []File
}

// Close unmaps and closes the files.
func (in *Input) Close() error { panic("stub") }

// OpenOptions changes how Open reads.
type OpenOptions struct {
	Limit   int    // read only the first Limit rows in all; 0 is no limit
	Scratch string // folder for unpacked .gz, .zst and stdin inputs; "" is os.TempDir()
}

// Open maps input files by extension (.fvecs .bvecs .fbin .u8bin .i8bin .npy,
// each also with .gz or .zst; "-" is stdin, its format detected) and
// concatenates them in order. All must agree in dimension and type.
// A float64 .npy is converted to float32 as it is read; a value beyond float32
// is an error that names row and column.
func Open(paths []string, opts *OpenOptions) (*Input, error) { panic("stub") }

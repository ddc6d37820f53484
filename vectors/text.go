package vectors

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Text: rows of numbers, one a line, read as float64.

// textual reports whether a file of that name, without .gz or .zst, is text.
func textual(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".txt"}, strings.ToLower(filepath.Ext(name)))
}

// records reads the fields of one line after the other, and tells its number.
type records func() (fields []string, line int, err error)

// recordsOf reads .csv, with commas or semicolons, .tsv with tabs, and .txt with blanks, as
// numpy.savetxt writes it, whose lines that begin with # are none.
func recordsOf(name string, r *bufio.Reader) records {
	separator := ','
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt":
		return blanks(r)
	case ".tsv":
		separator = '\t'
	default:
		head, _ := r.Peek(r.Size())
		first, _, _ := strings.Cut(string(head), "\n")
		if !strings.Contains(first, ",") && strings.Contains(first, ";") {
			separator = ';'
		}
	}
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		r.Discard(3)
	}
	c := csv.NewReader(r)
	c.Comma, c.ReuseRecord, c.FieldsPerRecord = separator, true, -1
	return func() ([]string, int, error) {
		fields, err := c.Read()
		line := 0
		if err == nil {
			line, _ = c.FieldPos(0)
		}
		return fields, line, err
	}
}

// longestLine bounds the memory for a line of text: a row of MaxDim elements.
const longestLine = 64 * MaxDim

func blanks(r io.Reader) records {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	line := 0
	return func() ([]string, int, error) {
		for lines.Scan() {
			line++
			text, _, _ := strings.Cut(lines.Text(), "#")
			if fields := strings.Fields(text); len(fields) > 0 {
				return fields, line, nil
			}
		}
		if err := lines.Err(); err != nil {
			return nil, line + 1, fmt.Errorf("line %d: %w", line+1, err)
		}
		return nil, line, io.EOF
	}
}

// textRows reads text as float64 rows, one after the other.
type textRows struct {
	next   records
	fields []string // of the first row, until it is read
	line   int
	width  int  // fields of a line
	id     int  // the field that is the row's id; -1: none
	named  bool // the first line has the name of the column of ids
	ids    io.Writer
	row    []byte // what is not read of the row
	room   []byte
}

// newTextRows reads the header, if there is one.
func newTextRows(next records, o *OpenOptions) (*textRows, error) {
	t := &textRows{next: next, id: -1, ids: o.IDs}
	if err := t.advance(); err != nil {
		if err == io.EOF {
			err = errors.New("no rows")
		}
		return nil, err
	}
	if err := t.findID(o.IDColumn); err != nil {
		return nil, err
	}
	headed, err := t.headed(o.Header)
	if err != nil {
		return nil, err
	}
	if headed {
		if strings.TrimSpace(t.fields[0]) == "" && t.id != 0 {
			return nil, fmt.Errorf("line %d: the first column has no name, as an index that pandas writes: --id-column 1 takes it for ids, and to_csv(index=False) leaves it out", t.line)
		}
		if err := t.advance(); err == io.EOF {
			return nil, errors.New("no rows behind the line of names")
		} else if err != nil {
			return nil, err
		}
	}
	if err := checkDim(int64(t.dim()), 0); err != nil {
		return nil, fmt.Errorf("line %d: %d fields: %w", t.line, t.width, err)
	}
	return t, nil
}

// advance reads the first row, or the one behind the header.
func (t *textRows) advance() error {
	fields, line, err := t.next()
	if err != nil {
		return err
	}
	t.fields, t.line, t.width = slices.Clone(fields), line, len(fields)
	return nil
}

// findID finds the column of ids by its number from 1, or by its name. A field that looks like
// the number is no name: it may be a value.
func (t *textRows) findID(column string) error {
	if column == "" {
		return nil
	}
	number, err := strconv.Atoi(column)
	if err != nil {
		t.id = slices.Index(t.fields, column)
		if t.named = t.id >= 0; t.named {
			return nil
		}
	}
	if err != nil || number < 1 || number > t.width {
		return Misused(fmt.Errorf("line %d: no column %q of ids, want one of its %d names, or a number from 1 to %d", t.line, column, t.width, t.width))
	}
	t.id = number - 1
	return nil
}

func (t *textRows) dim() int {
	if t.id >= 0 {
		return t.width - 1
	}
	return t.width
}

// headed reports whether the first line has names: where the caller says so, where it names the
// column of ids, and where a field apart from the id is no number. Numbers among which one is missing
// may be a row, which is not to be lost: an error.
func (t *textRows) headed(header *bool) (bool, error) {
	if header != nil {
		return *header, nil
	}
	if t.named {
		return true, nil
	}
	numbers, gap := 0, -1
	for i, field := range t.fields {
		switch _, err := parseNumber(field); {
		case i == t.id:
		case err == nil || errors.Is(err, strconv.ErrRange):
			numbers++
		case !missing(field):
			return true, nil
		case gap < 0:
			gap = i
		}
	}
	switch {
	case gap >= 0 && (numbers == 0 || t.indexed()):
		return true, nil
	case gap >= 0:
		return false, Refused(fmt.Errorf("line %d, field %d: %q among numbers may be a value that is missing, or the line be names of columns: --header=true takes it for names, --header=false for a row", t.line, gap+1, t.fields[gap]))
	}
	if !t.counts() {
		return false, nil
	}
	if t.id >= 0 && t.fields[t.id] == "" {
		return true, nil // a row has an id
	}
	if last, err := t.last(); last || err != nil {
		return false, err
	}
	return false, Misused(fmt.Errorf("line %d: %s to %s may be the names that pandas gives to columns, or a row: --header=true takes the line for names, --header=false for a row", t.line, t.fields[0], t.fields[len(t.fields)-1]))
}

// missing reports whether a field stands for a value that is not there, as pandas and R write it.
func missing(field string) bool {
	return slices.Contains([]string{"", "-", "?", "#n/a", "#na", "<na>", "-nan", "n/a", "na", "none", "null"}, strings.ToLower(strings.TrimSpace(field)))
}

// indexed reports whether the fields are nothing, and then 0, 1, 2 and so on: names that pandas writes behind that of an index.
func (t *textRows) indexed() bool {
	for i, field := range t.fields {
		if i == 0 && field != "" || i > 0 && field != strconv.Itoa(i-1) {
			return false
		}
	}
	return true
}

// counts reports whether the fields are 0, 1, 2 and so on, with the id or without it.
func (t *textRows) counts() bool {
	all, others := true, true
	at := 0 // among the others
	for i, field := range t.fields {
		all = all && field == strconv.Itoa(i)
		if i != t.id {
			others = others && field == strconv.Itoa(at)
			at++
		}
	}
	return (all || others) && at > 1
}

// last reports whether no line follows the first.
func (t *textRows) last() (bool, error) {
	fields, line, err := t.next()
	if err == io.EOF {
		return true, nil
	}
	rest, second := t.next, slices.Clone(fields)
	t.next = func() ([]string, int, error) {
		t.next = rest
		return second, line, err
	}
	return false, nil
}

func parseNumber(field string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	if err == nil && math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) {
		err = strconv.ErrRange
	}
	return x, err
}

// Read reads the rows as they stand in memory.
func (t *textRows) Read(p []byte) (n int, err error) {
	if len(t.row) == 0 {
		if err := t.parse(); err != nil {
			return 0, err
		}
	}
	n = copy(p, t.row)
	t.row = t.row[n:]
	return n, nil
}

// parse reads one more row.
func (t *textRows) parse() (err error) {
	fields, line := t.fields, t.line
	if t.fields = nil; fields == nil {
		if fields, line, err = t.next(); err != nil {
			return err
		}
	}
	if len(fields) != t.width {
		return fmt.Errorf("line %d: %d fields, want %d", line, len(fields), t.width)
	}
	t.room = t.room[:0]
	for i, field := range fields {
		if i == t.id {
			if err := t.keep(field); err != nil {
				return fmt.Errorf("line %d, field %d: %w", line, i+1, err)
			}
			continue
		}
		x, err := parseNumber(field)
		if err != nil {
			fault := "not a number" + t.hint(i, field)
			switch {
			case errors.Is(err, strconv.ErrRange):
				fault = "beyond float32"
			case missing(field):
				fault = "no value: fill it, or leave the row out"
			}
			return fmt.Errorf("line %d, field %d: %q is %s", line, i+1, field, fault)
		}
		t.room = binary.LittleEndian.AppendUint64(t.room, math.Float64bits(x))
	}
	t.row = t.room
	return nil
}

// hint says what to do about a field that is no number: it may hold an id, have a decimal comma, or be a line of .csv.
func (t *textRows) hint(number int, field string) string {
	if count := numbersIn(field); count > 2 || count == 2 && t.width == 1 {
		return fmt.Sprintf(" but %d with commas between: give the file a name that ends with .csv", count)
	}
	if decimalComma(field) {
		return ": its numbers seem to have decimal commas, write them with points (tr , . < OLD > NEW)"
	}
	if t.id >= 0 {
		return ""
	}
	return fmt.Sprintf("; if the column holds ids, give --id-column %d", number+1)
}

// numbersIn is how many numbers a field has with commas between them; 0 where anything else is there.
func numbersIn(field string) int {
	parts := strings.Split(field, ",")
	for _, part := range parts {
		if _, err := parseNumber(part); err != nil {
			return 0
		}
	}
	return len(parts)
}

// decimalComma reports whether a field has a decimal comma, as in "1,5", or is cut at two of them, as "5;2" is of "1,5;2,5".
func decimalComma(field string) bool {
	for _, mark := range []string{",", ";"} {
		before, after, found := strings.Cut(field, mark)
		if !found {
			continue
		}
		_, first := parseNumber(before)
		_, second := parseNumber(after)
		return first == nil && second == nil
	}
	return false
}

// keep writes the id of a row.
func (t *textRows) keep(id string) error {
	if id == "" || strings.ContainsAny(id, "\r\n") {
		return fmt.Errorf("id %q: want one line, not empty", id)
	}
	if t.ids == nil {
		return nil
	}
	_, err := io.WriteString(t.ids, id+"\n")
	return err
}

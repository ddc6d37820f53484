package gofuncs

// A kind is the first byte of a term's text. It keeps a word of a name apart
// from the same word in a comment, and says how much the term counts.
type kind byte

// The kinds of terms, by the example of
// func (b *Builder) IndexFold(s string) int { return bytes.Index(b.buf, "No-Go"[1:]) }
const (
	title     kind = 'n' // the function's own name in small letters: indexfold
	inTitle   kind = 'f' // words of it: index, fold
	receiver  kind = 'r' // words of the receiver's type: builder
	comment   kind = 'd' // words of the doc comment
	word      kind = 'w' // words of all identifiers: builder, index, fold, buf, ...
	whole     kind = 'i' // identifiers of several words, as they are: IndexFold
	typeName  kind = 't' // names in the signature: Builder, string, int
	qualified kind = 'q' // two names joined by a dot: bytes.Index, b.buf
	literal   kind = 'l' // numbers and characters: 1
	quoted    kind = 's' // words in strings: no, go
	shape     kind = 'p' // three neighboring tokens, names as x and literals as 0: "return x ."
)

// A part is a part of a declaration. Each counts a fixed share, however long it
// is: else a long body drowns the name, and bytes.Index, which does the work,
// is far from strings.Index, which calls another function for it.
type part byte

const (
	named part = iota
	documented
	coded
	parts
)

// shares are the parts' lengths, before the row is scaled.
var shares = [parts]float64{named: 9, documented: 8, coded: 12}

// kinds says to which part a kind belongs, and its weight there, in quarters.
var kinds = [256]struct {
	part   part
	factor int64
}{
	title: {named, 4}, inTitle: {named, 4}, receiver: {named, 2},
	comment: {documented, 4},
	word:    {coded, 4}, whole: {coded, 4}, typeName: {coded, 2}, qualified: {coded, 6}, literal: {coded, 3}, quoted: {coded, 3}, shape: {coded, 2},
}

// A Term is something a function is compared by.
type Term struct {
	Hash  uint64 // of kind and text
	Count uint32 // times that the function has it
	kind  kind
}

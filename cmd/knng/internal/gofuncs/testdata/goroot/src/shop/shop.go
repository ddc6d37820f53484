// Package shop is a synthetic library for the tests of gofuncs.
package shop

import "fmt"

// A Basket holds items.
type Basket struct{ items, sizes []int }

// A Pile is generic.
type Pile[T any] struct{ top []T }

// AddItem adds an item, twice.
func (b *Basket) AddItem(x int) {
	b.items = append(b.items, x, x)
}

// Total is the sum of the prices.
func (b Basket) Total() int {
	sum := 0
	for _, x := range b.items {
		sum += x
	}
	return sum
}

// Sizes is too short to be compared.
func (b Basket) Sizes() []int { return b.sizes }

// Push puts x on top.
func (p *Pile[T]) Push(x T) {
	p.top = append(p.top, x)
}

func init() { fmt.Println("open the HTTPServer", 0x1F) }

func init() { fmt.Println("ready\n", 'r', 1.5) }

func _() { fmt.Println("blank functions have no name") }

func external(x int) int

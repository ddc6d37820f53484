// Package torture attacks the knng command and holds it to one promise. It kills builds,
// has their system calls fail, damages and swaps files, puts links, pipes and devices in their
// places, forges seals, fills the disk, and has two builds meet. After any of it
//
//   - a command answers as the intact store does, or fails with an error;
//   - a build that goes on gives the bytes of one that nobody disturbed, or an error, and
//     the bytes where it was only killed;
//   - no file outside the store is made, changed or removed;
//   - nothing waits for ever, and nothing panics.
//
// A forged store, whose seal fits the change, may hold other lists: the last two
// hold for it.
//
// All choices of a case come from a seed and the number of the case. Kills by time and races
// of two builds cannot be repeated so; hence a failure is written as a file that holds the
// store as the command found it, and Replay gives it the same command again.
package torture

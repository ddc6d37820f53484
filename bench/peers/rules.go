package peers

// Rules are those of every comparison here. They were written down before the
// runs, and are printed at the head of their tables.
const Rules = `Rules
- Data: the same file, distance (euclidean), k and number of threads for all. One run at a
  time, each in a process of its own; sides alternate, repeat after repeat.
- Settings: a stated grid for every peer, from its defaults up, of the parameters that its
  documentation names for trading accuracy for time. Compared are Pareto fronts.
- Recall: one code judges all lists, by exact lists of a sample of rows; ties are accepted,
  the row itself never counts.
- Runs: every setting once; then those that may decide, ours and the peers' within 1.5 times
  the time of the fastest peer at their recall, until there are as many as asked for (5).
  Shown are medians, least to most, and the number of runs.
- At 0.90, 0.95 and 0.99 fronts are read between settings, straight in the logarithms of time
  and of what is missed. Nothing is read beyond a front.
- Two clocks for everyone. Rows to lists: from rows in memory to lists in memory; ours counts
  audit, order, codes, controls and exact keys, and is not excused for writing while it
  builds; theirs counts index and search. File to file: from the file to the finished store
  (checked, sealed) or the saved lists; ours counts the start of the process, theirs neither
  that nor imports nor compiling, which is done on a sample before the clock.
- CPU seconds of the second clock, and peak resident memory, beside both.
- Brute force is OpenBLAS for this CPU (OPENBLAS_CORETYPE=SKYLAKEX where there is AVX-512) with
  selection fused into its tiles, each thread with rows of its own.
- Ours is also run with parts of its arithmetic taken away, the graph being the same: without
  AMX (KNNG_KERNEL=avx512), in float32 alone (KNNG_KERNEL=avx512-f32: codes are compared as
  float32; rows are still gathered as bytes), without AVX-512 (KNNG_KERNEL=avxvnni), and
  without instructions that multiply bytes (KNNG_KERNEL=avx2), as far as the machine has more.
  Comparisons, scan rate and comparisons a second stand beside.
- A run that exceeds the time limit counts as failed and is not repeated.
`

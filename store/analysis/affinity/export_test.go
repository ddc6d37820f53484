package affinity

// TieBreak lets tests add to similarities what Cluster adds.
var TieBreak = tieBreak

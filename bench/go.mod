module charcoal/bench

go 1.19

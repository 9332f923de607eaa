package dev.headway.kvcache;

/** What the groups of a cache share. */
record CacheParts(
    CacheGeometry geometry,
    BlockPool pool,
    CachedBlocks held,
    PartialEntries partials,
    PendingWork work,
    InFlightDependencies dependencies,
    int maxInFlightTokens,
    int maxModelLen) {}

package dev.headway.kvcache;

/**
 * What the groups of a cache share.
 *
 * @param fenced whether no block is read or used again before the step that writes it has run
 */
record CacheParts(
    CacheGeometry geometry,
    BlockPool pool,
    CachedBlocks held,
    PartialEntries partials,
    PendingWork work,
    InFlightDependencies dependencies,
    int maxInFlightTokens,
    int maxModelLen,
    boolean fenced) {}

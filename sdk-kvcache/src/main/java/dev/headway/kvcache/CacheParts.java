package dev.headway.kvcache;

/** What the groups of a cache share. */
record CacheParts(
    CacheRules rules,
    BlockPool pool,
    HeldContents held,
    PartialEntries partials,
    PendingWork work,
    StepTrust trust,
    int maxInFlightTokens,
    int maxModelLen) {}

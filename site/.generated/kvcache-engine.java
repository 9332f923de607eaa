Engine engine =
    HeadwayEngine.builder(executor)
        .clock(clock)
        .limits(
            SchedulerLimits.builder()
                .maxNumSeqs(4)
                .maxNumBatchedTokens(32)
                .maxModelLen(64)
                .build())
        .kvCache(PlainKvCache::new)
        .build();

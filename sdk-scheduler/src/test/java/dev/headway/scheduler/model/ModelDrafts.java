package dev.headway.scheduler.model;

import dev.headway.api.config.Drafting;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculationOptions.BatchSizeRange;

/** Cost of a speculation method in slots and tokens. */
record ModelDrafts(
    int k,
    int lookahead,
    int slots,
    int prefillLookahead,
    boolean eagle,
    SpeculationOptions options) {

  static ModelDrafts of(SpeculationOptions options) {
    final int k = options.numSpeculativeTokens();
    final boolean parallel = options.drafting() == Drafting.PARALLEL;
    return switch (options.method()) {
      case NONE, NGRAM -> new ModelDrafts(k, 0, 0, 0, false, options);
      case EAGLE -> new ModelDrafts(k, k, parallel ? k - 1 : 0, 1, true, options);
      case DRAFT_MODEL -> new ModelDrafts(k, k, parallel ? k : 1, 0, false, options);
      case MTP_MULTI -> new ModelDrafts(k, k, 0, k, true, options);
      case DFLASH -> new ModelDrafts(k, k + 1, k, 0, false, options);
    };
  }

  boolean hasTable() {
    return !options.perBatchSize().isEmpty();
  }

  /** Drafts of the next step, by the number of requests scheduled in this one. */
  int next(int scheduled) {
    if (!hasTable() || scheduled == 0) {
      return k;
    }
    int found = 0;
    for (BatchSizeRange range : options.perBatchSize()) {
      found = range.fromSeqs() <= scheduled ? range.numSpeculativeTokens() : found;
    }
    return Math.min(found, k);
  }

  /** 15: a chunk leaves nothing of the prompt, or enough for every module. */
  int reserve(int known, int start, int want) {
    final int left = known - start - want;
    return want > 0 && left > 0 && left < prefillLookahead
        ? Math.max(0, known - start - prefillLookahead)
        : want;
  }
}

package dev.headway.report.html.figures;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.toolbox.stats.Distribution;

/** The KV cache. */
public final class KvFigures implements RequestListener {

  private final Distribution peakBlocks = new Distribution(8_192);
  private long storedBlocks;
  private long removedBlocks;
  private long lookedUpTokens;
  private long foundTokens;
  private long requestsWithHit;
  private long firstAdmissions;

  void onDecision(Decision decision) {
    if (decision instanceof Decision.KvStored stored) {
      storedBlocks += stored.record().count();
    } else if (decision instanceof Decision.KvRemoved) {
      removedBlocks++;
    }
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    if (request.preemptions() == 0) {
      firstAdmissions++;
      lookedUpTokens += request.queued().promptTokens();
      foundTokens += cachedTokens;
      requestsWithHit += cachedTokens > 0 ? 1 : 0;
    }
  }

  @Override
  public void onSettled(RequestTimeline request) {
    if (request.peakBlocks() > 0) {
      peakBlocks.add(request.peakBlocks());
    }
  }

  /** Most blocks of each request that ended. */
  public Distribution peakBlocks() {
    return peakBlocks;
  }

  /** Blocks that became findable. */
  public long storedBlocks() {
    return storedBlocks;
  }

  /** Findable blocks that were taken for other content. */
  public long removedBlocks() {
    return removedBlocks;
  }

  /** Share of the prompt tokens of first admissions found in the cache. */
  public double hitShare() {
    return lookedUpTokens == 0 ? 0 : (double) foundTokens / lookedUpTokens;
  }

  /** Prompt tokens of first admissions found in the cache. */
  public long foundTokens() {
    return foundTokens;
  }

  /** Share of the first admissions that found something. */
  public double requestHitShare() {
    return firstAdmissions == 0 ? 0 : (double) requestsWithHit / firstAdmissions;
  }
}

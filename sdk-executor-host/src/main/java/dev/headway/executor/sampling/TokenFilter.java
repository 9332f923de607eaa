package dev.headway.executor.sampling;

import dev.headway.api.request.SamplingParams;
import java.util.Arrays;

/**
 * Drops unlikely tokens: their logits become negative infinity. Three filters, in vLLM's order,
 * each on what the one before left:
 *
 * <ol>
 *   <li>min-p keeps a token if {@code exp(logit - largest) >= minP}.
 *   <li>top-k keeps a token if fewer than k tokens have a larger logit.
 *   <li>top-p keeps a token if the tokens with a larger logit have less than p of the mass.
 * </ol>
 *
 * <p>All three are a threshold on the logit, so equal logits share their fate and no order of
 * sorting matters. For top-k that is vLLM's rule; its top-p cuts through equals where its unstable
 * sort happens to put them. The likeliest token is always kept. Masses are summed in double, from
 * the likeliest token on.
 */
public final class TokenFilter {

  private final float[] sorted;

  /** Makes scratch space for a vocabulary. */
  public TokenFilter(int vocabularySize) {
    sorted = new float[vocabularySize];
  }

  /**
   * Filters in place.
   *
   * @param scaled logits divided by the temperature; no NaN, at least one finite
   */
  public void apply(float[] scaled, SamplingParams params) {
    if (params.minP() > 0) {
      dropBelow(scaled, minPThreshold(scaled, params.minP()));
    }
    if (params.topK() == 0 && params.topP() == 1) {
      return;
    }
    final int kept = sortKept(scaled);
    final int largest = params.topK() == 0 ? kept : Math.min(params.topK(), kept);
    final float topKThreshold = sorted[kept - largest];
    dropBelow(scaled, Math.max(topKThreshold, topPThreshold(kept, topKThreshold, params.topP())));
  }

  private static float minPThreshold(float[] scaled, float minP) {
    float max = Float.NEGATIVE_INFINITY;
    for (float logit : scaled) {
      max = Math.max(max, logit);
    }
    float threshold = max;
    for (float logit : scaled) {
      if (logit < threshold && Math.exp((double) logit - max) >= minP) {
        threshold = logit;
      }
    }
    return threshold;
  }

  private int sortKept(float[] scaled) {
    int kept = 0;
    for (float logit : scaled) {
      if (logit != Float.NEGATIVE_INFINITY) {
        sorted[kept++] = logit;
      }
    }
    Arrays.sort(sorted, 0, kept);
    return kept;
  }

  /** Looks at sorted logits >= {@code floor} only: ties of the k-th largest are among them. */
  private float topPThreshold(int kept, float floor, float topP) {
    if (topP == 1) {
      return floor;
    }
    final float max = sorted[kept - 1];
    double total = 0;
    for (int i = kept - 1; i >= 0 && sorted[i] >= floor; i--) {
      total += Math.exp((double) sorted[i] - max);
    }
    double larger = 0;
    float threshold = max;
    for (int i = kept - 1; i >= 0 && sorted[i] >= floor && larger < topP * total; i--) {
      threshold = sorted[i];
      larger += Math.exp((double) sorted[i] - max);
    }
    return threshold;
  }

  private static void dropBelow(float[] scaled, float threshold) {
    for (int i = 0; i < scaled.length; i++) {
      if (scaled[i] < threshold) {
        scaled[i] = Float.NEGATIVE_INFINITY;
      }
    }
  }
}

package dev.headway.kvcache;

import dev.headway.api.config.PrefixRetention;
import dev.headway.api.kvcache.KvGroup;

/**
 * Which blocks of a windowed or recurrent group stay findable: those that are needed to continue a
 * prefix at the points of the {@link PrefixRetention}. Immutable.
 *
 * <p>A prefix that ends behind block {@code e - 1} needs the blocks {@code [e - needed, e)}; a
 * drafter needs one behind as well, hence the shift.
 */
final class RetentionMask {

  private final int blockSize;
  private final int step;
  private final int needed;
  private final int shift;
  private final boolean everything;
  private final boolean boundaries;

  /** Blocks between two points kept; 0 for no such points. */
  private final int segment;

  private RetentionMask(
      CacheGeometry geometry, int blockSize, int needed, int shift, int segmentTokens) {
    this.blockSize = blockSize;
    this.step = geometry.step();
    this.needed = needed;
    this.shift = shift;
    this.segment = segmentTokens / blockSize;
    this.everything = segment > 0 && needed >= segment;
    this.boundaries = geometry.retention().kind() != PrefixRetention.Kind.DENSE;
  }

  /** The mask of a group with a window. */
  static RetentionMask of(CacheGeometry geometry, KvGroup.SlidingWindow window) {
    final int shift = geometry.dropsLastHit() ? 1 : 0;
    final int needed = blocksInWindow(window) + shift;
    final int segment =
        geometry.retention().kind() == PrefixRetention.Kind.DENSE
            ? geometry.step()
            : geometry.retention().intervalTokens();
    return new RetentionMask(geometry, window.blockSize(), needed, shift, segment);
  }

  /** The mask of a group with recurrent states. */
  static RetentionMask of(CacheGeometry geometry, KvGroup.Mamba states) {
    final int segment =
        geometry.retention().kind() == PrefixRetention.Kind.DENSE
            ? states.blockSize()
            : geometry.retention().intervalTokens();
    return new RetentionMask(geometry, states.blockSize(), 1, 0, segment);
  }

  /** Blocks that hold what a token behind them attends to. */
  static int blocksInWindow(KvGroup.SlidingWindow window) {
    return (window.windowTokens() - 1 + window.blockSize() - 1) / window.blockSize();
  }

  /** Whether block {@code index} of the sequence stays findable. */
  boolean keeps(int index, GroupedSequence seq) {
    if (everything || isAtSegmentEnd(index)) {
      return true;
    }
    return boundaries
        && (isBefore(seq.request.promptTokens() - 1, index)
            || (seq.sharedPrefixBoundary > 0 && isBefore(seq.sharedPrefixBoundary, index)));
  }

  private boolean isAtSegmentEnd(int index) {
    return segment > 0 && index >= shift && (index - shift) % segment >= segment - needed;
  }

  private boolean isBefore(int tokens, int index) {
    final int end = tokens / step * step / blockSize + shift;
    return index >= end - needed && index < end;
  }
}

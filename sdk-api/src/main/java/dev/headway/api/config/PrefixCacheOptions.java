package dev.headway.api.config;

/**
 * How prefixes are found and kept.
 *
 * @param matchUnit granularity of hashes and hits, in tokens; 0 for the groups' block sizes (one
 *     group: its block size; several: their greatest common divisor). Every block size must be a
 *     multiple of it
 * @param retention which blocks of windowed and recurrent groups stay findable
 */
public record PrefixCacheOptions(int matchUnit, PrefixRetention retention) {

  /** Whole blocks; boundaries only. */
  public static final PrefixCacheOptions DEFAULT =
      new PrefixCacheOptions(0, PrefixRetention.BOUNDARIES);

  /** Validates the components. */
  public PrefixCacheOptions {
    if (matchUnit < 0) {
      throw new IllegalArgumentException(
          "matchUnit must be >= 0, 0 for the block sizes: matchUnit=" + matchUnit);
    }
  }
}

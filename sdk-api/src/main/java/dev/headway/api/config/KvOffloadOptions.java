package dev.headway.api.config;

/**
 * A second tier of the prefix cache in the host's memory: blocks evicted from the device are saved
 * there and loaded again when a request hits them.
 *
 * @param hostBlocks KV blocks in host memory, of the size of the device's; 0 for no such tier
 */
public record KvOffloadOptions(int hostBlocks) {

  /** No tier in host memory; the default. */
  public static final KvOffloadOptions NONE = new KvOffloadOptions(0);

  /** Validates the components. */
  public KvOffloadOptions {
    if (hostBlocks < 0) {
      throw new IllegalArgumentException(
          "hostBlocks must be >= 0, 0 for no tier in host memory: hostBlocks=" + hostBlocks);
    }
  }
}

package dev.headway.cli.simulate;

import dev.headway.cuda.executor.KvCacheType;
import org.jspecify.annotations.Nullable;

/**
 * What {@link KvCacheDtype} is on a real device. Apart from the option: sweeps read it on workers
 * that have no executors.
 */
public final class DeviceKvCache {

  private DeviceKvCache() {}

  /** What a device keeps; null if the checkpoint says. */
  public static @Nullable KvCacheType of(KvCacheDtype dtype) {
    return switch (dtype) {
      case AUTO -> null;
      case BFLOAT16 -> KvCacheType.BF16;
      case FP8, FP8_E4M3 -> KvCacheType.E4M3;
    };
  }
}

package dev.headway.api.kvcache.connector;

import dev.headway.api.step.TransferReport;

/** When the blocks of a request that has ended can be used by others. */
public enum BlockRelease {
  /** At once. */
  NOW,
  /** Once the connector has reported that they are {@linkplain TransferReport#sent sent}. */
  WHEN_SENT
}

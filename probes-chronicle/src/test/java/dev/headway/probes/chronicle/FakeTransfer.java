package dev.headway.probes.chronicle;

import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/** Twelve blocks on their way from the GPU to the CPU. */
record FakeTransfer(KvTransferStage stage, @Nullable RequestView request, long atNs)
    implements KvTransfer {

  @Override
  public long transferId() {
    return 4;
  }

  @Override
  public long stepId() {
    return 2;
  }

  @Override
  public String sourceMedium() {
    return "gpu";
  }

  @Override
  public String targetMedium() {
    return "cpu";
  }

  @Override
  public int blockCount() {
    return 12;
  }

  @Override
  public @Nullable String reason() {
    return stage == KvTransferStage.EVICTED ? "lru" : null;
  }

  @Override
  public boolean succeeded() {
    return true;
  }
}

package dev.headway.examples.prefilldecode;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.Request;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.connector.CheckedKvBlocks;
import dev.headway.testkit.connector.KvConnectorContract;
import java.io.IOException;
import java.time.Duration;

/** The connector that sends keeps the contract; what it keeps is fetched as by an engine. */
class PrefillConnectorTest extends KvConnectorContract {

  private PrefillConnector sends;

  @Override
  protected KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape) throws IOException {
    sends =
        new PrefillConnector(blocks, shape.blockSize(), Duration.ofSeconds(30), new VirtualClock());
    return sends;
  }

  @Override
  protected Request kept(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(1).kvTransferParams(TransferParams.keep()).build();
  }

  @Override
  protected void take(Request kept) {
    final Request asked =
        Request.builder(kept.id(), 1)
            .maxTokens(1)
            .kvTransferParams(TransferParams.fetch(sends.address(), kept.id()))
            .build();
    final CheckedKvBlocks ours = CheckedKvBlocks.open(4, BLOCK_BYTES);
    new BlockFetch(FakeRequest.of(0, asked), 0, new int[] {1, 2, 3}, ours, report -> {}).run();
  }
}

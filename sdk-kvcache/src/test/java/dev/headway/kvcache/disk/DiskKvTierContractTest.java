package dev.headway.kvcache.disk;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.FakeSequence;
import dev.headway.testkit.connector.CheckedKvBlocks;
import dev.headway.testkit.connector.KvConnectorContract;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;

/** The disk tier keeps the contract. */
class DiskKvTierContractTest extends KvConnectorContract {

  private static final KvCacheShape SHAPE =
      KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(65).build();

  @TempDir private Path folder;

  @Override
  protected KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape) throws IOException {
    return DiskKvTier.builder(folder, blocks, shape).model("m").maxBytes(1 << 20).open();
  }

  /** Saved by an earlier tier. */
  @Override
  protected Request loadable(String id, int... prompt) throws IOException {
    final CheckedKvBlocks blocks = CheckedKvBlocks.open(65, BLOCK_BYTES);
    final int[] table = new int[(prompt.length + BLOCK_SIZE - 1) / BLOCK_SIZE];
    for (int i = 0; i < table.length; i++) {
      table[i] = i + 1;
      blocks.compute(table[i], CheckedKvBlocks.kvOf(prompt, i, BLOCK_SIZE, BLOCK_BYTES));
    }
    try (KvConnector earlier = connector(blocks, SHAPE)) {
      earlier.start(report -> {});
      final FakeRequest request = FakeRequest.of("earlier", Arrays.copyOf(prompt, prompt.length));
      earlier.requestFinished(
          request.computedTokens(prompt.length).append(1),
          new FakeSequence(1, table),
          prompt.length,
          FinishReason.LENGTH);
    }
    return Request.builder(id, prompt).maxTokens(8).build();
  }

  @Override
  protected Request kept(String id, int... prompt) {
    final int[] other = prompt.clone();
    other[0]++; // not there yet
    return Request.builder(id, other).maxTokens(8).build();
  }

  @Override
  protected boolean breakSource() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.kv")) {
      for (Path file : files) {
        final byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 1]++;
        Files.write(file, bytes);
      }
    }
    return true;
  }
}

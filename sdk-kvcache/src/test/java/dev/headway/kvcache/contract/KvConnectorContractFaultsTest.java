package dev.headway.kvcache.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.Request;
import dev.headway.testkit.connector.CheckedKvBlocks;
import dev.headway.testkit.connector.KvConnectorContract;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract notices each fault. */
class KvConnectorContractFaultsTest {

  private static final ThreadLocal<MemoryConnector.Fault> PLANTED = new ThreadLocal<>();

  /** Run by the launcher only: its name does not end in Test. */
  static final class Broken extends KvConnectorContract {

    private final Map<String, byte[]> store = new ConcurrentHashMap<>();
    private final MemoryConnector.Fault fault = PLANTED.get();

    @Override
    protected KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape) {
      return new MemoryConnector(fault, store, blocks, shape.blockSize());
    }

    @Override
    protected Request loadable(String id, int... prompt) {
      for (int block = 0; (block + 1) * BLOCK_SIZE <= prompt.length; block++) {
        store.put(
            MemoryConnector.key(prompt, block, BLOCK_SIZE),
            CheckedKvBlocks.kvOf(prompt, block, BLOCK_SIZE, BLOCK_BYTES));
      }
      return Request.builder(id, prompt).maxTokens(8).build();
    }

    @Override
    protected Request kept(String id, int... prompt) {
      return Request.builder(id, prompt).maxTokens(8).build();
    }

    @Override
    protected boolean breakSource() {
      store.clear();
      return true;
    }

    @Override
    protected Duration patience() {
      return fault == MemoryConnector.Fault.NONE ? super.patience() : Duration.ofMillis(500);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotice(MemoryConnector.Fault fault) {
    final Set<String> failed = failedChecks(fault);

    if (fault == MemoryConnector.Fault.NONE) {
      assertThat(failed).isEmpty();
    } else {
      assertThat(failed).contains(fault.check);
    }
  }

  private static Set<String> failedChecks(MemoryConnector.Fault fault) {
    PLANTED.set(fault);
    try {
      return FailedChecks.of(Broken.class);
    } finally {
      PLANTED.remove();
    }
  }
}

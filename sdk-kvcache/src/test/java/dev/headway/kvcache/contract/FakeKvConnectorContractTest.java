package dev.headway.kvcache.contract;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeKvConnector;
import dev.headway.testkit.connector.CheckedKvBlocks;
import dev.headway.testkit.connector.KvConnectorContract;
import org.junit.jupiter.api.Nested;

/** The connector that moves nothing keeps the contract, whenever its loads end. */
class FakeKvConnectorContractTest {

  @Nested
  class Ahead extends Contract {
    Ahead() {
      super(ExternalTokens.Kind.AHEAD);
    }
  }

  @Nested
  class InStep extends Contract {
    InStep() {
      super(ExternalTokens.Kind.IN_STEP);
    }
  }

  private abstract static class Contract extends KvConnectorContract {

    private final ExternalTokens.Kind kind;
    private final FakeKvConnector fake = new FakeKvConnector(KvRole.BOTH);
    private boolean isBroken;

    Contract(ExternalTokens.Kind kind) {
      this.kind = kind;
    }

    @Override
    protected KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape) {
      return fake;
    }

    @Override
    protected Request loadable(String id, int... prompt) {
      fake.has(id, prompt.length, kind).isUndecided(id, 2);
      return Request.builder(id, prompt).maxTokens(8).build();
    }

    @Override
    protected Request kept(String id, int... prompt) {
      fake.keeps(id);
      return Request.builder(id, prompt).maxTokens(8).build();
    }

    @Override
    protected void take(Request kept) {
      fake.send(kept.id());
    }

    @Override
    protected void endTransfers() {
      for (String id : fake.loads()) {
        if (isBroken) {
          fake.failLoad(id, 0, BLOCK_SIZE);
        } else {
          fake.receive(id);
        }
      }
    }

    @Override
    protected boolean breakSource() {
      isBroken = true;
      return kind == ExternalTokens.Kind.AHEAD; // else an executor says so
    }

    @Override
    protected boolean movesBytes() {
      return false;
    }
  }
}

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends plans to a GPU server and receives tokens. */
public final class RemoteExecutor implements Executor {

  /** The connection to the server; the format of its messages is yours. */
  public interface Server extends AutoCloseable {
    void beginStep(long stepId, int entries) throws IOException;

    void forget(long requestNumber) throws IOException;

    void entry(
        long requestNumber, EntryKind kind, int firstPosition, int[] tokenIds, int[] newBlocks,
        boolean samples)
        throws IOException;

    void endStep() throws IOException;

    /** Waits for the oldest answer: one token per sampling entry, or null if the time passed. */
    int[] receiveTokens(long stepId, long timeoutNs) throws IOException, InterruptedException;

    /** Waits; whether the server answers again and computes nothing. */
    boolean isReachableAndIdle(long timeoutNs) throws IOException, InterruptedException;

    @Override
    void close();
  }

  private final ExecutorShape shape;
  private final Server server;
  private boolean[] samples = new boolean[0];
  private IOException lost; // the connection broke: the server may still be writing KV

  public RemoteExecutor(ExecutorShape shape, Server server) {
    this.shape = shape;
    this.server = server;
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public void submit(StepPlan plan) {
    try {
      server.beginStep(plan.stepId(), plan.size());
      for (int i = 0; i < plan.finished().size(); i++) {
        server.forget(plan.finished().number(i));
      }
      samples = new boolean[plan.size()];
      for (int entry = 0; entry < plan.size(); entry++) {
        samples[entry] = plan.samples(entry);
        server.entry(
            plan.request(entry).number(),
            plan.kind(entry),
            plan.computedTokens(entry),
            tokens(plan, entry),
            newBlocks(plan, entry),
            samples[entry]);
      }
      server.endStep();
    } catch (IOException e) {
      lost = e;
    }
  }

  private static int[] tokens(StepPlan plan, int entry) {
    int[] tokenIds = new int[plan.scheduledTokens(entry)];
    plan.request(entry).copyTokenIds(plan.computedTokens(entry), tokenIds, 0, tokenIds.length);
    return tokenIds;
  }

  private static int[] newBlocks(StepPlan plan, int entry) {
    int from = plan.blocks().newFrom(entry, 0);
    int[] blocks = new int[plan.blocks().count(entry, 0) - from];
    plan.blocks().of(entry).copyBlockIds(0, from, blocks, 0, blocks.length);
    return blocks;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    int[] tokenIds = null;
    try {
      if (lost == null) {
        tokenIds = server.receiveTokens(output.stepId(), timeoutNs);
      } else if (server.isReachableAndIdle(timeoutNs)) {
        final IOException cause = lost;
        lost = null;
        throw new UncheckedIOException(cause); // nothing writes the blocks of the step any more
      }
    } catch (IOException e) {
      lost = e;
    }
    if (tokenIds == null) {
      if (lost != null) {
        output.unanswered(lost); // sent to the clients, instead of a time-out
      }
      return false; // the step is still out; the engine asks again
    }
    int next = 0;
    for (int entry = 0; entry < output.size(); entry++) {
      if (samples[entry]) {
        output.addToken(entry, tokenIds[next++]);
      }
    }
    return true;
  }

  @Override
  public void close() {
    server.close();
  }
}

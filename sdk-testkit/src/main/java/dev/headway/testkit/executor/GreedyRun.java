package dev.headway.testkit.executor;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.Arrays;
import java.util.Random;

/** A prompt of a block and two tokens, computed greedily as a test says. */
final class GreedyRun {

  private static final int OUTPUTS = 6;

  private final FakeRequest request;
  private int[] blocks = {1, 2, 3};
  private int chunk = Integer.MAX_VALUE;
  private int preemptedAfter = -1;
  private int[] blocksAfterwards = {};
  private Request other;
  private int[] otherBlocks = {};
  private int computed;
  private int scheduled;
  private EntryKind kind = EntryKind.NEW;
  private boolean preempted;

  /** Draws a prompt. */
  GreedyRun(ExecutorShape shape, long seed) {
    final int[] prompt =
        new Random(seed).ints(shape.kvCache().blockSize() + 2, 0, shape.vocabularySize()).toArray();
    final SamplingParams sampling = SamplingParams.builder().temperature(0).build();
    request =
        new FakeRequest(
            0, Request.builder("g" + seed, prompt).maxTokens(OUTPUTS).sampling(sampling).build());
    other = request.request();
  }

  /** In these blocks; 1, 2 and 3 unless set. */
  GreedyRun blocks(int... table) {
    blocks = table;
    return this;
  }

  /** So many tokens of the prompt a step; all of them unless set. */
  GreedyRun chunk(int tokens) {
    chunk = tokens;
    return this;
  }

  /** Behind tokens that another request has computed or computes. */
  GreedyRun behind(int tokens) {
    computed = tokens;
    return this;
  }

  /** With another prompt before it in each plan that computes its own. */
  GreedyRun beside(Request otherRequest, int... table) {
    other = otherRequest;
    otherBlocks = table;
    return this;
  }

  /** Preempted after so many outputs, and computed again in these blocks. */
  GreedyRun preemptedAfter(int outputs, int... table) {
    preemptedAfter = outputs;
    blocksAfterwards = table;
    return this;
  }

  /** Goes on in a copy of a block. */
  GreedyRun copied(int source, int target) {
    blocks = Arrays.stream(blocks).map(block -> block == source ? target : block).toArray();
    return this;
  }

  FakeRequest request() {
    return request;
  }

  boolean isDone() {
    return request.outputTokens() == OUTPUTS;
  }

  /** Adds its next entry to a plan. */
  FakePlan add(FakePlan plan) {
    if (request.outputTokens() == preemptedAfter && !preempted) {
      preempted = true;
      plan.preempted().add(request);
      blocks = blocksAfterwards;
      computed = 0;
      kind = EntryKind.RESUMED;
    }
    if (otherBlocks.length > 0 && kind == EntryKind.NEW) {
      plan.entry(new FakeRequest(1, other), EntryKind.NEW, other.promptTokens(), otherBlocks);
    }
    scheduled = Math.min(chunk, request.knownTokens() - computed);
    request.running(computed);
    plan.entry(request, kind, scheduled, blocks);
    kind = EntryKind.RUNNING;
    return plan;
  }

  /** Takes what was answered for its entry. */
  void take(StepOutput output, int entry) {
    computed += scheduled;
    for (int i = 0; i < output.tokenCount(entry); i++) {
      request.append(output.token(entry, i));
    }
  }

  int token(int index) {
    return request.tokenId(request.promptTokens() + index);
  }

  int[] tokens() {
    final int[] tokens = new int[request.outputTokens()];
    request.copyTokenIds(request.promptTokens(), tokens, 0, tokens.length);
    return tokens;
  }
}

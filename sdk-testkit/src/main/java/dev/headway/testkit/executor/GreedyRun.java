package dev.headway.testkit.executor;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.Random;

/** A prompt of a block and two tokens, computed greedily as a test says. */
final class GreedyRun {

  private static final int OUTPUTS = 6;

  private final FakeRequest request;
  private int[] blocks = {1, 2, 3};
  private int chunk = Integer.MAX_VALUE;
  private int preemptedAfter = -1;
  private int[] blocksAfterwards = {};
  private int computed;
  private int scheduled;
  private EntryKind kind = EntryKind.NEW;
  private boolean preempted;

  /** Draws a prompt; every seed's ends in the same token. */
  GreedyRun(ExecutorShape shape, long seed, long number) {
    final int[] prompt =
        new Random(seed).ints(shape.kvCache().blockSize() + 2, 0, shape.vocabularySize()).toArray();
    prompt[prompt.length - 1] = 1 % shape.vocabularySize();
    request =
        new FakeRequest(
            number,
            Request.builder("seed=" + seed + "/" + number, prompt)
                .maxTokens(OUTPUTS)
                .sampling(SamplingParams.GREEDY)
                .build());
  }

  /** In these blocks from now on; 1, 2 and 3 unless set. */
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

  /** Preempted after so many outputs, and computed again in these blocks. */
  GreedyRun preemptedAfter(int outputs, int... table) {
    preemptedAfter = outputs;
    blocksAfterwards = table;
    return this;
  }

  FakeRequest request() {
    return request;
  }

  boolean isDone() {
    return request.outputTokens() == OUTPUTS;
  }

  /** Adds its next entry to a plan. */
  void add(FakePlan plan) {
    if (request.outputTokens() == preemptedAfter && !preempted) {
      preempted = true;
      plan.preempted().add(request);
      blocks = blocksAfterwards;
      computed = 0;
      kind = EntryKind.RESUMED;
    }
    scheduled = Math.min(chunk, request.knownTokens() - computed);
    request.running(computed);
    plan.entry(request, kind, scheduled, blocks);
    kind = EntryKind.RUNNING;
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

  @Override
  public String toString() {
    return request.id();
  }
}

package dev.headway.testkit;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.EncoderInputs;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.TokenConstraints;
import dev.headway.api.support.SimplePlan;

/**
 * A plan for tests: step 1 from 0 to 0 unless set, with the entries, block tables and block work
 * that a test sets. Not thread-safe.
 */
public final class FakePlan extends SimplePlan {

  private final DraftTokens draftTokens = new Drafts();
  private TokenConstraints constraints = TokenConstraints.NONE;
  private final FakeEncoderInputs encoder = new FakeEncoderInputs(this);
  private int groups = 1;
  private int drafts;

  /** Makes an empty plan of step 1. */
  public FakePlan() {
    begin(1, 0);
  }

  /** Makes an empty plan. */
  public FakePlan(long stepId, long beginNs, long endNs) {
    begin(stepId, beginNs);
    end(endNs);
  }

  /** Block tables per request, for entries added afterwards; 1 unless set. */
  public FakePlan groups(int count) {
    groups = count;
    return this;
  }

  /**
   * Adds an entry behind the request's computed tokens, all of whose blocks are new.
   *
   * @param blockIds the block table, the same in every group
   */
  public FakePlan entry(RequestView request, EntryKind kind, int scheduledTokens, int... blockIds) {
    add(request, new FakeSequence(groups, blockIds), kind, scheduledTokens, 0, 0);
    return this;
  }

  /** Adds a new request that computes its prompt tokens [computed, computed + scheduled). */
  public FakePlan entry(Request request, int computed, int scheduled, int... blockIds) {
    return entry(
        new FakeRequest(size(), request).running(computed), EntryKind.NEW, scheduled, blockIds);
  }

  /** Adds a request as it is before the step, without block tables; returns this plan. */
  public FakePlan add(RequestView request, EntryKind kind, int scheduledTokens, int produced) {
    add(request, null, kind, scheduledTokens, 0, 0);
    return producing(produced);
  }

  /** Sets what the latest entry produced. */
  public FakePlan producing(int tokens) {
    produced(size() - 1, tokens);
    return this;
  }

  /** Adds a request that ended since the plan before. */
  public FakePlan ended(RequestView request) {
    finished().add(request);
    return this;
  }

  /** Blocks and host blocks in turn. */
  public FakePlan saves(int... blocks) {
    for (int i = 0; i < blocks.length; i += 2) {
      blockOperations().save(blocks[i], blocks[i + 1]);
    }
    return this;
  }

  /** Host blocks and blocks in turn. */
  public FakePlan loads(int... blocks) {
    for (int i = 0; i < blocks.length; i += 2) {
      blockOperations().load(FakeRequest.of("loading", 1), blocks[i], blocks[i + 1]);
    }
    return this;
  }

  /** Sources and targets in turn. */
  public FakePlan copies(int... blocks) {
    for (int i = 0; i < blocks.length; i += 2) {
      blockOperations().copy(blocks[i], blocks[i + 1]);
    }
    return this;
  }

  /** Blocks to zero. */
  public FakePlan zeroed(int... blocks) {
    for (int block : blocks) {
      blockOperations().zero(block);
    }
    return this;
  }

  /** Draft tokens of each entry, known to the executor only; 0 unless set. */
  public FakePlan drafts(int count) {
    drafts = count;
    return this;
  }

  /** Items of the latest entry's request that are to be encoded, by their places in it. */
  public FakePlan encodes(int... items) {
    encoder.encode(size() - 1, items);
    return this;
  }

  /** Outputs of the encoder to drop, by their hashes. */
  public FakePlan drops(String... hashes) {
    encoder.drop(hashes);
    return this;
  }

  /** What entries may sample; anything unless set. */
  public FakePlan constraints(TokenConstraints given) {
    constraints = given;
    return this;
  }

  @Override
  public TokenConstraints constraints() {
    return constraints;
  }

  @Override
  public DraftTokens drafts() {
    return draftTokens;
  }

  @Override
  public EncoderInputs encoderInputs() {
    return encoder;
  }

  private final class Drafts implements DraftTokens {

    @Override
    public boolean isEmpty() {
      return drafts == 0 || size() == 0;
    }

    @Override
    public int count(int entry) {
      return drafts;
    }

    @Override
    public int tokenId(int entry, int index) {
      return ON_DEVICE;
    }

    @Override
    public int toPropose() {
      return 0;
    }
  }
}

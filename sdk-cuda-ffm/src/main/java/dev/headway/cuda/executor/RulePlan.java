package dev.headway.cuda.executor;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.StopRule;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.kernel.TokenRuleKernels;
import dev.headway.executor.sampling.TokenRules;
import java.util.Arrays;

/**
 * What the requests of a step say of single tokens, and which mask is whose: a row for each sample
 * whose logits change, in the order of the samples. None if penalties alone change any. In {@code
 * int}s:
 *
 * <pre>
 * begin      [2 * rows + 1]  where a row's biases begin, and its bans
 * maskOf     [rows]          which mask is a row's, or -1
 * rule       [][3]           as {@link TokenRuleKernels#apply} reads them
 * carryFrom  [carried]       place of the step before that sampled the last token
 * carryTo    [carried]       where it goes in the block, to be compared by a rule
 * masks      behind them, see {@link TokenMasks}
 * </pre>
 *
 * <p>A banned sequence is looked up here, but for a last token that is on the device alone: a rule
 * compares that one.
 */
final class RulePlan {
  private static final int NO_BAN = -1;

  int rows;
  int maskOfAt;
  int ruleAt;
  int carryFromAt;
  int carryToAt;
  int carried;
  int end;
  private int rules;
  private int[] data = new int[64];
  private int[] carryFrom = new int[4];
  private int[] carryTo = new int[4];
  private int[] tail = new int[8]; // of the outputs, as much as bans look at

  /** Rows in the order of their samples: those with penalties are the last ones. */
  void pack(StepPlan plan, BatchEntries entries) {
    rows = entries.ruled() + entries.constrained() == 0 ? 0 : entries.changed();
    rules = 0;
    carried = 0;
    maskOfAt = 2 * rows + 1;
    ruleAt = maskOfAt + rows;
    end = ruleAt;
    if (rows == 0) {
      return;
    }
    reserve(ruleAt);
    data[0] = 0;
    final int row = pack(plan, entries, 0, false);
    pack(plan, entries, row, true);
    carryFromAt = ruleAt + TokenRuleKernels.RULE_INTS * rules;
    carryToAt = carryFromAt + carried;
    end = carryToAt + carried;
    reserve(end);
    System.arraycopy(carryFrom, 0, data, carryFromAt, carried);
    System.arraycopy(carryTo, 0, data, carryToAt, carried);
  }

  private int pack(StepPlan plan, BatchEntries entries, int first, boolean penalised) {
    int row = first;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.isChanged(lane) && entries.isPenalised(lane) == penalised) {
        data[maskOfAt + row] = entries.maskOf(lane);
        if (entries.isRuled(lane)) {
          pack(plan.request(entries.entryOf(lane)), entries, lane, row);
        } else {
          data[2 * row + 1] = rules;
        }
        data[2 * ++row] = rules;
      }
    }
    return row;
  }

  private void pack(PlannedRequest request, BatchEntries entries, int lane, int row) {
    final TokenBias bias = entries.sampling(lane).tokenBias();
    for (int i = 0; i < bias.biasedTokens(); i++) {
      add(bias.tokenId(i), Float.floatToRawIntBits(bias.bias(i)), 0);
    }
    data[2 * row + 1] = rules;
    final int outputs = entries.nextPosition(lane) - request.promptTokens();
    if (bias.bans() > 0) {
      ban(request, bias, outputs, entries, lane);
    }
    final StopRule rule = request.request().stopRule();
    if (TokenRules.forbidEnds(rule, request.promptTokens(), entries.nextPosition(lane))) {
      for (int i = 0; i < rule.endTokens(); i++) {
        if (rule.endTokenId(i) < entries.vocabularySize()) {
          add(rule.endTokenId(i), 0, 0);
        }
      }
    }
  }

  private void ban(
      PlannedRequest request, TokenBias bias, int outputs, BatchEntries entries, int lane) {
    final int carriedFrom = entries.carriedFrom(lane);
    final boolean isCarried = carriedFrom != LastSamples.NONE;
    final int length = readTail(request, bias, outputs, isCarried, entries, lane);
    for (int ban = 0; ban < bias.bans(); ban++) {
      final int begun = bias.banLength(ban) - 1;
      final int known = isCarried ? Math.max(begun - 1, 0) : begun;
      if (begun > outputs || !matches(bias, ban, length - begun, known)) {
        continue;
      }
      final int banned = bias.banTokenId(ban, begun);
      if (known == begun) {
        add(banned, 0, 0);
      } else {
        carry(carriedFrom, ruleAt + TokenRuleKernels.RULE_INTS * rules + 2);
        add(banned, bias.banTokenId(ban, begun - 1), NO_BAN);
      }
    }
  }

  /** Copies the outputs that bans look at; a carried one has its place. Returns how many. */
  private int readTail(
      PlannedRequest request,
      TokenBias bias,
      int outputs,
      boolean isCarried,
      BatchEntries entries,
      int lane) {
    int length = 0;
    for (int ban = 0; ban < bias.bans(); ban++) {
      length = Math.max(length, Math.min(bias.banLength(ban) - 1, outputs));
    }
    if (tail.length < length) {
      tail = new int[Math.max(length, 2 * tail.length)];
    }
    final int drafts = Math.min(entries.draftsBefore(lane), length);
    entries.copyDrafts(lane, drafts, tail, length - drafts);
    final int known = (isCarried ? length - 1 : length) - drafts;
    if (known > 0) {
      request.copyTokenIds(request.promptTokens() + outputs - length, tail, 0, known);
    }
    return length;
  }

  private boolean matches(TokenBias bias, int ban, int from, int count) {
    for (int i = 0; i < count; i++) {
      if (tail[from + i] != bias.banTokenId(ban, i)) {
        return false;
      }
    }
    return true;
  }

  private void carry(int from, int to) {
    if (carryFrom.length == carried) {
      carryFrom = Arrays.copyOf(carryFrom, 2 * carried);
      carryTo = Arrays.copyOf(carryTo, 2 * carried);
    }
    carryFrom[carried] = from;
    carryTo[carried++] = to;
  }

  private void add(int token, int first, int second) {
    final int at = ruleAt + TokenRuleKernels.RULE_INTS * rules++;
    reserve(at + TokenRuleKernels.RULE_INTS);
    data[at] = token;
    data[at + 1] = first;
    data[at + 2] = second;
  }

  private void reserve(int ints) {
    if (data.length < ints) {
      data = Arrays.copyOf(data, Math.max(ints, 2 * data.length));
    }
  }

  /** The block; its first {@code end} ints count. */
  int[] data() {
    return data;
  }
}

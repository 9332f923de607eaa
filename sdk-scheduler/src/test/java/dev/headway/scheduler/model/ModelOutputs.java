package dev.headway.scheduler.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.EntryKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Output processing of a step, as in vLLM; failures are handled as Headway does. */
final class ModelOutputs {

  private final ModelState state;

  /** The step whose answer is taken over. */
  private long step;

  private boolean broken;

  ModelOutputs(ModelState state) {
    this.state = state;
  }

  /** 5.8, 11.1, 11.6: at the end of schedule. */
  void scheduled(List<ModelEntry> plan, int nextDrafts) {
    for (ModelEntry entry : plan) {
      final ModelRequest request = entry.request();
      request.computed += entry.tokens();
      request.inFlight += entry.tokens();
      request.prefillChunk = request.computed < request.known() + request.placeholders;
      request.lastStep = state.step;
      request.toldStep = state.step;
      request.transfer.prefilling &= request.prefillChunk;
      if (state.async && !request.prefillChunk) {
        request.placeholders += 1 + entry.drafts().size();
        request.drafts = Collections.nCopies(nextDrafts, -1);
        if (state.spaced) {
          request.nextDecodeStep = state.step + state.config.pipeline().pipelineParallelSize();
        }
      }
    }
  }

  /**
   * Takes answers over.
   *
   * @param later the plans of the steps behind this one that are out
   * @param answers tokens of each entry, null for a failure
   * @param step number of the step
   * @return tokens appended for each entry
   */
  List<Integer> update(
      List<ModelEntry> plan, List<List<ModelEntry>> later, List<List<Integer>> answers, long step) {
    this.step = step;
    final List<Integer> produced = new ArrayList<>();
    broken = state.broken;
    state.broken = false;
    for (int i = 0; i < plan.size(); i++) {
      final ModelEntry entry = plan.get(i);
      if (entry.request().ended == null) {
        produced.add(take(plan, i, later, answers.get(i)));
      } else {
        produced.add(0);
        if (answers.get(i) == null) {
          failSharers(entry, plan.subList(i + 1, plan.size()), later);
        }
      }
    }
    if (broken) {
      state.blocks.distrust(step);
    }
    return produced;
  }

  private int take(
      List<ModelEntry> plan, int i, List<List<ModelEntry>> later, List<Integer> tokens) {
    final ModelEntry entry = plan.get(i);
    final ModelRequest request = entry.request();
    final boolean gone = request.gone > 0;
    final boolean stale = land(entry);
    if (gone) {
      if (tokens == null) {
        failSharers(entry, plan.subList(i + 1, plan.size()), later);
      }
      return 0;
    }
    if (tokens == null) {
      failSharers(entry, plan.subList(i + 1, plan.size()), later);
      fail(entry);
      return 0;
    }
    if (tokens.isEmpty()) {
      return 0;
    }
    if (!entry.drafts().isEmpty()) {
      final int rejected = entry.drafts().size() - (tokens.size() - 1);
      if (!state.headway || entry.kind() == EntryKind.RUNNING) { // others have only padding
        state.counts.verified(entry.drafts().size(), tokens.size() - 1);
      }
      if (!stale && request.computed > 0) {
        request.computed -= rejected;
        request.placeholders -= state.async ? rejected : 0;
      }
    }
    return append(request, tokens, stale);
  }

  /** 12.1: whether the result comes too late. */
  private static boolean land(ModelEntry entry) {
    final ModelRequest request = entry.request();
    request.inFlight -= entry.tokens();
    final boolean stale = request.stale > 0;
    request.stale -= stale ? entry.tokens() : 0;
    request.gone = Math.max(0, request.gone - entry.tokens());
    return stale;
  }

  private int append(ModelRequest request, List<Integer> tokens, boolean stale) {
    int appended = 0;
    FinishReason reason = null;
    while (reason == null && appended < tokens.size()) {
      final int token = tokens.get(appended++);
      request.tokens.add(token);
      reason = stop(request, token);
    }
    if (state.async && !stale) {
      request.placeholders -= appended;
      if (state.running.contains(request)) {
        state.blocks.cache(request, request.computed - request.placeholders, 0);
      }
    }
    if (reason != null) {
      final int last = request.tokens.getLast();
      final boolean eos = request.request.stopRule().isEos(last);
      request.stopToken = reason == FinishReason.STOP && !eos ? last : ABSENT;
      state.end(request, reason);
    }
    return appended;
  }

  /** 12.3. */
  private FinishReason stop(ModelRequest request, int token) {
    final StopRule rule = request.request.stopRule();
    if (request.outputs() < rule.minTokens()) {
      return null;
    }
    if (rule.isEos(token) || rule.isStopToken(token)) {
      return FinishReason.STOP;
    }
    if (request.known() >= state.maxModelLen || request.outputs() >= rule.maxTokens()) {
      return FinishReason.LENGTH;
    }
    return rule.repetitionRule().isPresent() && repeats(request, rule.repetitionRule().get())
        ? FinishReason.REPETITION
        : null;
  }

  private static boolean repeats(ModelRequest request, RepetitionRule rule) {
    final List<Integer> outputs =
        request.tokens.subList(request.request.promptTokens(), request.known());
    for (int p = rule.minPatternTokens(); p <= rule.maxPatternTokens(); p++) {
      final int span = p * rule.minCount();
      if (span > outputs.size()) {
        return false;
      }
      final List<Integer> last = outputs.subList(outputs.size() - p, outputs.size());
      boolean all = true;
      for (int n = 1; n <= rule.minCount(); n++) {
        final int from = outputs.size() - n * p;
        all &= outputs.subList(from, from + p).equals(last);
      }
      if (all) {
        return true;
      }
    }
    return false;
  }

  /** 12.7: drafts that come with the output of a step. */
  void propose(ModelRequest request, List<Integer> drafts) {
    if (request.ended == null) {
      final int count = Math.min(drafts.size(), state.drafts.k());
      request.drafts = request.prefillChunk ? List.of() : List.copyOf(drafts.subList(0, count));
    }
  }

  /**
   * The whole step failed: everybody in it ends, apart from those whose results came too late, and
   * everybody who rests on what it was to write.
   */
  void failAll(List<ModelEntry> plan, List<List<ModelEntry>> later, long step) {
    this.step = step;
    for (ModelEntry entry : plan) {
      final boolean gone = entry.request().ended != null;
      final boolean stale = !gone && land(entry);
      if (stale) {
        entry.request().gone = entry.request().stale;
      }
      failSharers(entry, List.of(), later);
      if (!gone && !stale) {
        fail(entry);
      }
    }
    if (state.connector != null) {
      state.connector.failSharers(null, step);
    }
    for (List<ModelEntry> entries : later) {
      for (ModelEntry entry : entries) {
        suspect(entry, state.blocks.restsOn(entry.request(), null, step));
      }
    }
    state.blocks.distrust(step);
  }

  /**
   * Who has found what the failed entry was to compute stands on sand and fails too: those behind
   * it in its step, and in later steps.
   */
  private void failSharers(
      ModelEntry failed, List<ModelEntry> behind, List<List<ModelEntry>> later) {
    broken = true;
    if (state.connector != null) {
      if (state.connector.kept().contains(failed.request())) {
        state.blocks.forgetBeyond(failed.request(), sure(failed));
      }
      state.connector.failSharers(failed.request(), step);
    }
    final List<ModelEntry> suspects = new ArrayList<>(behind);
    later.forEach(suspects::addAll);
    for (ModelEntry entry : suspects) {
      suspect(entry, state.blocks.restsOn(entry.request(), failed.request(), step));
    }
  }

  /** It ends if it stands on sand; if it was preempted, nobody can tell, and its results go. */
  private void suspect(ModelEntry entry, boolean onSand) {
    final ModelRequest request = entry.request();
    request.gone = request.stale;
    if (onSand && request.ended == null) {
      fail(entry);
    }
  }

  private void fail(ModelEntry entry) {
    state.blocks.forgetBeyond(entry.request(), sure(entry));
    state.end(entry.request(), FinishReason.EXECUTOR_FAILED);
  }

  /** What the step was to load is not sure either. */
  private static int sure(ModelEntry entry) {
    return entry.computed() - entry.external();
  }
}

package dev.headway.scheduler.golden;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A plan in the form in which traces record vLLM's scheduler output. */
final class GoldenPlan {

  private final StepPlan plan;
  private final GoldenSetup setup;
  private final List<Object> fresh = new ArrayList<>();
  private final List<Object> running = new ArrayList<>();
  private final List<Object> resumed = new ArrayList<>();
  private final List<Integer> cachedEntries = new ArrayList<>();

  GoldenPlan(StepPlan plan, GoldenSetup setup) {
    this.plan = plan;
    this.setup = setup;
    final List<Object> resumedLikeNew = new ArrayList<>();
    final List<Integer> resumedEntries = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final EntryKind kind = plan.kind(entry);
      if (kind == EntryKind.NEW) {
        fresh.add(asNew(entry));
      } else if (kind == EntryKind.RUNNING) {
        running.add(asCached(entry));
        cachedEntries.add(entry);
      } else if (setup.isV2()) {
        resumedLikeNew.add(asNew(entry));
      } else {
        resumed.add(asCached(entry));
        resumedEntries.add(entry);
      }
    }
    fresh.addAll(resumedLikeNew);
    cachedEntries.addAll(resumedEntries);
  }

  List<Object> fresh() {
    return fresh;
  }

  List<Object> cached() {
    final List<Object> cached = new ArrayList<>(running);
    cached.addAll(resumed);
    return cached;
  }

  List<Object> tokens() {
    final List<Object> tokens = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      tokens.add(List.of(plan.request(entry).id(), plan.scheduledTokens(entry)));
    }
    return tokens;
  }

  static Map<String, Object> drafts(StepPlan plan) {
    final Map<String, Object> drafts = new LinkedHashMap<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final List<Object> tokens = new ArrayList<>();
      for (int i = 0; i < plan.drafts().count(entry); i++) {
        tokens.add(plan.drafts().tokenId(entry, i));
      }
      if (!tokens.isEmpty()) {
        drafts.put(plan.request(entry).id(), tokens);
      }
    }
    return drafts;
  }

  List<Object> commonPrefix() {
    final List<Object> prefix = new ArrayList<>();
    for (int group = 0; group < plan.blocks().groupCount(); group++) {
      prefix.add(plan.blocks().commonPrefix(group));
    }
    return prefix;
  }

  List<Object> copies() {
    final List<Object> copies = new ArrayList<>();
    for (int i = 0; i < plan.blockOperations().copies().size(); i++) {
      copies.add(
          List.of(
              plan.blockOperations().copies().source(i),
              plan.blockOperations().copies().target(i)));
    }
    return copies;
  }

  /** Null if nothing is to be zeroed. */
  List<Object> zeroed() {
    final List<Object> blocks = new ArrayList<>();
    for (int i = 0; i < plan.blockOperations().zeroed().size(); i++) {
      blocks.add(plan.blockOperations().zeroed().block(i));
    }
    return blocks.isEmpty() ? null : blocks;
  }

  /** Per cached entry the known tokens among the scheduled ones, drafts apart. */
  List<Object> pipelineTokens() {
    final List<Object> all = new ArrayList<>();
    for (int entry : cachedEntries) {
      final PlannedRequest request = plan.request(entry);
      final int from = plan.computedTokens(entry);
      final int to = from + plan.scheduledTokens(entry) - plan.drafts().count(entry);
      final List<Object> tokens = new ArrayList<>();
      for (int position = from; position < Math.min(to, request.knownTokens()); position++) {
        tokens.add(request.tokenId(position));
      }
      all.add(List.of(request.id(), tokens));
    }
    return all;
  }

  /** Cached entries that the step before did not schedule, sorted. */
  List<String> fullTokensFor() {
    final List<String> ids = new ArrayList<>();
    for (int entry : cachedEntries) {
      if (plan.previousStepId(entry) != plan.stepId() - 1) {
        ids.add(plan.request(entry).id());
      }
    }
    Collections.sort(ids);
    return ids;
  }

  private List<Object> asNew(int entry) {
    final PlannedRequest request = plan.request(entry);
    final List<Object> form = new ArrayList<>();
    Collections.addAll(form, request.id(), plan.computedTokens(entry), newBlocks(entry));
    if (setup.isV2()) {
      form.add(request.knownTokens());
    }
    return form;
  }

  private List<Object> asCached(int entry) {
    final List<Object> blocks = newBlocks(entry);
    final boolean nothingNew = blocks.stream().allMatch(ids -> ((List<?>) ids).isEmpty());
    final List<Object> form = new ArrayList<>();
    form.add(plan.request(entry).id());
    form.add(plan.computedTokens(entry));
    form.add(plan.outputTokens(entry));
    form.add(plan.kind(entry) == EntryKind.RESUMED ? 1 : 0);
    form.add(nothingNew ? null : blocks);
    return form;
  }

  private List<Object> newBlocks(int entry) {
    final List<Object> groups = new ArrayList<>();
    for (int group = 0; group < plan.blocks().groupCount(); group++) {
      final List<Object> ids = new ArrayList<>();
      for (int i = plan.blocks().newFrom(entry, group);
          i < plan.blocks().count(entry, group);
          i++) {
        ids.add(plan.blocks().of(entry).blockId(group, i));
      }
      groups.add(ids);
    }
    return groups;
  }
}

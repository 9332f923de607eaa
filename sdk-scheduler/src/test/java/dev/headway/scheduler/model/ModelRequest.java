package dev.headway.scheduler.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.WaitReason;
import java.util.ArrayList;
import java.util.List;

/** A request as the model sees it. */
final class ModelRequest {

  final Request request;
  final long arrivalNs;
  final List<Integer> tokens = new ArrayList<>();
  List<Integer> drafts = List.of();
  List<Integer> blocks = new ArrayList<>();
  ModelTenure tenure;
  int computed;
  int placeholders;
  int inFlight;
  int stale;
  int gone;
  boolean prefillChunk;
  long nextDecodeStep;
  int preemptions;
  int cachedBlocks;
  int foundBlocks;
  int cachedTokens;
  long lastStep;
  long toldStep;
  long admittedStep;
  boolean displacedInVain;
  FinishReason ended;
  long stopToken = ABSENT;

  /** Whether it waits for its adapter, and is not looked at before that can have a seat. */
  boolean parked;

  /** Since when it has waited for its adapter; -1 if it has not. */
  long awaitsAdapterSinceNs = -1;

  /** What the KV connector has to do with it. */
  final ModelTransfer transfer = new ModelTransfer();

  /** Whether the connector did not know of it; it is asked again when admissions begin. */
  boolean undecided;

  /** Whether it is passed over as one of too many long prompts, until it is looked at again. */
  boolean deferred;

  /** Whether it had a long prompt to compute when it was admitted. */
  boolean longPrefill;

  /** What holds it from outside, in order. */
  final List<Hold> holds;

  WaitReason reason;
  ModelRequest blocker;

  ModelRequest(Request request, long arrivalNs) {
    holds = new ArrayList<>(request.holds());
    this.request = request;
    this.arrivalNs = arrivalNs;
    for (int i = 0; i < request.promptTokens(); i++) {
      tokens.add(request.promptTokenId(i));
    }
  }

  String id() {
    return request.id();
  }

  /** Whether no step looks at it. */
  boolean isHeld() {
    return !holds.isEmpty() || transfer.load == ModelTransfer.Load.OUT;
  }

  int known() {
    return tokens.size();
  }

  int outputs() {
    return tokens.size() - request.promptTokens();
  }

  int priority() {
    return request.priority();
  }

  /** Name of its adapter, "" for none. */
  String adapter() {
    return request.lora() == null ? "" : request.lora().name();
  }

  void refuse(WaitReason why, ModelRequest by) {
    reason = why;
    blocker = by;
  }

  @Override
  public String toString() {
    return id();
  }
}

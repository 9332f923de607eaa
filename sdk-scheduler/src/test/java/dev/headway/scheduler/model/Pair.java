package dev.headway.scheduler.model;

import dev.headway.api.request.RequestView;

/** A request in both worlds. */
final class Pair {

  private final RequestView view;
  private final ModelRequest model;
  private boolean seenByAStep;

  Pair(RequestView view, ModelRequest model) {
    this.view = view;
    this.model = model;
  }

  RequestView view() {
    return view;
  }

  ModelRequest model() {
    return model;
  }

  boolean isHeld() {
    return model.isHeld();
  }

  void see() {
    seenByAStep = true;
  }

  /** A hold of it is over: no decision has considered it since. */
  void released() {
    seenByAStep = false;
  }

  /** Whether a step was planned since it came, or was released. */
  boolean seenByAStep() {
    return seenByAStep;
  }
}

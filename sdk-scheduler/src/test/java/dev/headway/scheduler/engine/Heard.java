package dev.headway.scheduler.engine;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that writes down what it hears, in order. */
class Heard implements TokenListener {

  final List<String> events = new CopyOnWriteArrayList<>();

  @Override
  public void onToken(int index, int tokenId) {
    events.add(index + ":" + tokenId);
  }

  @Override
  public void onDone(RequestOutcome outcome) {
    events.add(Engines.endOf(outcome));
  }
}

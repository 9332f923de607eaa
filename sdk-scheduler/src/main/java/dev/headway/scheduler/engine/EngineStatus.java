package dev.headway.scheduler.engine;

import dev.headway.api.engine.EngineState;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The state of an engine, and the thread that drives it. Any thread. */
final class EngineStatus {

  private final AtomicReference<EngineState> state = new AtomicReference<>(EngineState.NEW);
  private final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();
  private volatile boolean hasOwnThread;

  EngineState state() {
    return state.get();
  }

  void set(EngineState next) {
    state.set(next);
  }

  /** Whether the state was {@code expected}; then it is {@code next}. */
  boolean change(EngineState expected, EngineState next) {
    return state.compareAndSet(expected, next);
  }

  boolean isOpen() {
    return state.get().compareTo(EngineState.DRAINING) < 0;
  }

  boolean isDraining() {
    return state.get() == EngineState.DRAINING;
  }

  boolean isEnded() {
    return state.get().compareTo(EngineState.CLOSED) >= 0;
  }

  /** The driving thread; null before there is one. */
  @Nullable Thread driver() {
    return driver.get();
  }

  /** Makes {@code thread} the driving thread; false if another one is. */
  boolean claimDriver(Thread thread) {
    return driver.compareAndSet(null, thread) || thread.equals(driver.get());
  }

  /** Whether the engine has a thread of its own, and is not driven by callers of {@code step}. */
  boolean hasOwnThread() {
    return hasOwnThread;
  }

  /** The engine gets a thread of its own; false if it is driven already. */
  boolean takeThread(Thread thread) {
    return driver.compareAndSet(null, thread);
  }

  void setOwnThread(boolean own) {
    hasOwnThread = own;
  }

  /** The thread could not be started. */
  void dropDriver() {
    driver.set(null);
  }

  /** Ends the rest of the engine's own thread. */
  void wakeUp() {
    final Thread thread = driver.get();
    if (hasOwnThread && thread != null) {
      LockSupport.unpark(thread);
    }
  }
}

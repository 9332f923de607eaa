package dev.headway.kvcache.contract;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Passes events on with a fault. */
record FaultyListener(KvCacheListener listener, Fault fault) implements KvCacheListener {

  /** What is wrong. */
  enum Fault {
    REMOVES_TWICE,
    NEVER_REMOVES,
    NEVER_CLEARS,
    ONE_HASH,
    WRONG_PARENT
  }

  @Override
  public void onKvStored(KvBlocksStored event) {
    final Object broken =
        Proxy.newProxyInstance(
            KvBlocksStored.class.getClassLoader(),
            new Class<?>[] {KvBlocksStored.class},
            (proxy, method, arguments) -> told(event, method, arguments));
    listener.onKvStored((KvBlocksStored) broken);
  }

  private Object told(KvBlocksStored event, Method method, Object[] arguments)
      throws ReflectiveOperationException {
    final String figure = method.getName();
    if (fault == Fault.ONE_HASH && figure.equals("contentHash")) {
      return 7L;
    }
    if (fault == Fault.WRONG_PARENT && figure.equals("parentContentHash")) {
      return event.parentContentHash() + 1;
    }
    return method.invoke(event, arguments);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    for (int i = fault == Fault.REMOVES_TWICE ? 2 : 1; i > 0; i--) {
      if (fault != Fault.NEVER_REMOVES) {
        listener.onKvRemoved(event);
      }
    }
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    if (fault != Fault.NEVER_CLEARS) {
      listener.onKvCleared(event);
    }
  }
}

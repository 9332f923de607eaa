package dev.headway.events.inprocess;

import dev.headway.events.model.CauseTimes;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RequestWaits;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.KvStoredRecord;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** Every notification of a run as a line: the method, and all that its arguments say by then. */
final class Notifications {

  private static final Set<Class<?>> WITH_FIGURES =
      Set.of(RequestTimeline.class, StepTimeline.class, StepEntries.class, RequestWaits.class);

  final List<String> lines = new ArrayList<>();

  /** Both interfaces that a listener can have. */
  interface Everything extends RunListener, WaitListener {}

  Everything listener() {
    return (Everything)
        Proxy.newProxyInstance(
            Notifications.class.getClassLoader(),
            new Class<?>[] {Everything.class},
            (proxy, method, args) -> {
              if (method.getDeclaringClass() == Object.class) {
                return method.invoke(this, args);
              }
              final StringJoiner line = new StringJoiner(", ", method.getName() + "(", ")");
              for (Object arg : args == null ? new Object[0] : args) {
                line.add(describe(arg, 0));
              }
              lines.add(line.toString());
              return method.getReturnType() == RunListener.class ? proxy : null;
            });
  }

  private static String describe(Object value, int depth) {
    return switch (value) {
      case null -> "null";
      case RunTimeline run -> "run " + run.header();
      case CauseTimes times -> {
        final StringJoiner all = new StringJoiner(" ");
        times.forEach((cause, ns) -> all.add(cause + "=" + ns));
        yield all.toString();
      }
      case KvStoredRecord stored ->
          "stored " + stored.requestNumber() + " " + stored.firstToken() + " " + stored.count();
      case RequestTimeline request when depth > 1 -> request.id();
      case Map<?, ?> map -> map.toString();
      case Collection<?> all -> all.stream().map(each -> describe(each, 2)).toList().toString();
      case Record fields -> ofRecord(fields, depth + 1);
      default ->
          WITH_FIGURES.contains(value.getClass())
              ? ofFigures(value, depth + 1)
              : String.valueOf(value);
    };
  }

  private static String ofRecord(Record value, int depth) {
    final StringJoiner all = new StringJoiner(" ", value.getClass().getSimpleName() + "[", "]");
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      all.add(component.getName() + "=" + describe(call(component.getAccessor(), value), depth));
    }
    return all.toString();
  }

  private static String ofFigures(Object value, int depth) {
    final StringJoiner all = new StringJoiner(" ", value.getClass().getSimpleName() + "{", "}");
    final List<Method> methods = new ArrayList<>(List.of(value.getClass().getMethods()));
    methods.sort(Comparator.comparing(Method::getName));
    for (Method method : methods) {
      final boolean isFigure =
          method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers());
      if (isFigure && method.getParameterCount() == 0 && method.getReturnType() != void.class) {
        all.add(method.getName() + "=" + describe(call(method, value), depth));
      } else if (isFigure
          && value instanceof StepEntries entries
          && method.getParameterCount() == 1
          && method.getParameterTypes()[0] == int.class) {
        for (int entry = 0; entry < entries.size(); entry++) {
          all.add(method.getName() + entry + "=" + describe(call(method, value, entry), 2));
        }
      }
    }
    return all.toString();
  }

  private static Object call(Method method, Object target, Object... args) {
    try {
      method.setAccessible(true);
      return method.invoke(target, args);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new AssertionError(method.toString(), e);
    }
  }
}

/**
 * Helpers of Headway's own modules: names from outside in logs and on terminals, the nearest of
 * known names, mixed numbers, the ends of threads. Not API: exported to those modules only.
 */
@NullMarked
package dev.headway.api.internal;

import org.jspecify.annotations.NullMarked;

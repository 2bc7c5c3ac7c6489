/* eagle/detail/random.h - random numbers that are a function of where and when they are asked for: Philox4x32-10
 * (Salmon, Moraes, Dror, Shaw, SC11, 2011). Integers alone: the same bits on both sides and on any number of ranks. */
#ifndef EAGLE_DETAIL_RANDOM_H
#define EAGLE_DETAIL_RANDOM_H

enum { EG_PHILOX_ROUNDS = 10 };

typedef struct eg_philox {
    uint32_t word[4];
} eg_philox;

/* One counter of 128 bits enciphered with a key of 64. */
EG_BOTH_ eg_philox eg_philox_of(eg_philox c, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < EG_PHILOX_ROUNDS; round++) {
        const uint64_t a = (uint64_t)0xD2511F53u * c.word[0], b = (uint64_t)0xCD9E8D57u * c.word[2];
        c.word[0] = (uint32_t)(b >> 32) ^ c.word[1] ^ key0;
        c.word[1] = (uint32_t)b;
        c.word[2] = (uint32_t)(a >> 32) ^ c.word[3] ^ key1;
        c.word[3] = (uint32_t)a;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

/* The counter is the number of the cell in the whole grid, the step (48 bits) and the stream (16 bits). */
EG_BOTH_ double eagle_random(uint64_t seed, eagle_at at, int64_t step, int stream)
{
    const int64_t  *cells = at.grid->cells;
    const uint64_t  cell = (uint64_t)(at.i + cells[0] * (at.j + cells[1] * at.k));
    const uint64_t  when = (uint64_t)step << 16 | (uint64_t)((uint32_t)stream & 0xffffu);
    const eg_philox counter = { { (uint32_t)cell, (uint32_t)(cell >> 32), (uint32_t)when, (uint32_t)(when >> 32) } };
    const eg_philox r = eg_philox_of(counter, (uint32_t)seed, (uint32_t)(seed >> 32));

    return (double)(((uint64_t)r.word[1] << 32 | r.word[0]) >> 11) * (1.0 / 9007199254740992.0); /* 2^-53 */
}

#endif

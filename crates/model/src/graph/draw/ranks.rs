//! Which layer a node is in, and where in it.

use std::collections::VecDeque;

/// Enough for crossings to become few; more takes long and changes little.
const SWEEPS: usize = 6;

/// Layers of nodes, from left to right and from top to bottom.
pub(super) fn layers(count: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let forward = forward(count, links);
    let ranks = ranks(count, &forward);
    let mut layers = vec![Vec::new(); ranks.iter().max().map_or(0, |last| last + 1)];
    for (node, rank) in ranks.iter().enumerate() {
        layers[*rank].push(node);
    }
    reduce_crossings(&mut layers, &ranks, &forward);
    layers
}

/// The links without those that close a cycle, seen depth first.
fn forward(count: usize, links: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut next = vec![Vec::new(); count];
    let mut has_source = vec![false; count];
    for (at, (from, to)) in links.iter().enumerate() {
        next[*from].push((*to, at));
        has_source[*to] |= from != to;
    }
    let mut closes = vec![false; links.len()];
    // 0 is not seen, 1 on the way, 2 done.
    let mut seen = vec![0u8; count];
    let starts = (0..count).filter(|node| !has_source[*node]).chain(0..count);
    for start in starts {
        if seen[start] != 0 {
            continue;
        }
        let mut path = vec![(start, 0)];
        seen[start] = 1;
        while let Some((node, done)) = path.last_mut() {
            let Some(&(to, link)) = next[*node].get(*done) else {
                seen[*node] = 2;
                path.pop();
                continue;
            };
            *done += 1;
            match seen[to] {
                0 => {
                    seen[to] = 1;
                    path.push((to, 0));
                }
                1 => closes[link] = true,
                _ => {}
            }
        }
    }
    links.iter().zip(closes).filter(|(_, closes)| !closes).map(|(link, _)| *link).collect()
}

/// Each node one layer after the last of those it has links from.
fn ranks(count: usize, forward: &[(usize, usize)]) -> Vec<usize> {
    let mut waits = vec![0; count];
    let mut next = vec![Vec::new(); count];
    for (from, to) in forward {
        waits[*to] += 1;
        next[*from].push(*to);
    }
    let mut ranks = vec![0; count];
    let mut open: VecDeque<usize> = (0..count).filter(|node| waits[*node] == 0).collect();
    while let Some(node) = open.pop_front() {
        for to in &next[node] {
            ranks[*to] = ranks[*to].max(ranks[node] + 1);
            waits[*to] -= 1;
            if waits[*to] == 0 {
                open.push_back(*to);
            }
        }
    }
    ranks
}

/// Moves each node to the middle of those it is linked with in the layers before it, then in those after it.
fn reduce_crossings(layers: &mut [Vec<usize>], ranks: &[usize], forward: &[(usize, usize)]) {
    let mut neighbours = vec![Vec::new(); ranks.len()];
    for (from, to) in forward {
        neighbours[*from].push(*to);
        neighbours[*to].push(*from);
    }
    let mut places = vec![0.0; ranks.len()];
    place(layers, &mut places);
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        let order: Vec<usize> =
            if is_down { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for layer in order {
            let middle = |node: &usize| {
                let is_before =
                    |other: &&usize| (ranks[**other] < layer) == is_down && ranks[**other] != layer;
                let near: Vec<f64> =
                    neighbours[*node].iter().filter(is_before).map(|other| places[*other]).collect();
                if near.is_empty() { places[*node] } else { near.iter().sum::<f64>() / near.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> =
                layers[layer].iter().map(|node| (middle(node), *node)).collect();
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            layers[layer] = keyed.into_iter().map(|(_, node)| node).collect();
            place(&layers[layer..=layer], &mut places);
        }
    }
}

/// From 0 to 1 in each layer, so that layers of any size can be compared.
fn place(layers: &[Vec<usize>], places: &mut [f64]) {
    for layer in layers {
        for (at, node) in layer.iter().enumerate() {
            places[*node] = (at as f64 + 0.5) / layer.len() as f64;
        }
    }
}
